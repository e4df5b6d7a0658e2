"""Degree: the rule in which every link weighs 1."""

from seedlot.studies.lgd_na.localrules import local_rule

METHOD = local_rule("degree", "Degree", per_link=200, per_walk=0)
