"""RA2num: the numerator of RA2, (d_i - c)(d_j - c), summed over a node's links."""

from seedlot.studies.lgd_na.localrules import local_rule

METHOD = local_rule("ra2num", "RA2num", per_link=1400, per_walk=38)
