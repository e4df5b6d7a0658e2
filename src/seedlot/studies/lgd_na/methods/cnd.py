"""CND, common neighbour dissimilarity: the denominator of RA2 alone, 1/(1 + c), summed over a node's links."""

from seedlot.studies.lgd_na.localrules import local_rule

METHOD = local_rule("cnd", "CND", per_link=320, per_walk=17)
