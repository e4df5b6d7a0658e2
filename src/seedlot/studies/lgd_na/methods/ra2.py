"""RA2: a link weighs (d_i - c)(d_j - c)/(1 + c), large where it spans a long latent distance; a node the sum."""

from seedlot.studies.lgd_na.localrules import local_rule

METHOD = local_rule("ra2", "RA2", per_link=1500, per_walk=40)
