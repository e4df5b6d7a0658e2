"""Settings of the UniProt source."""

from seedlot.config.source import SourceSettings, committed


class Settings(SourceSettings):
    """UniProtKB sequences in FASTA."""

    manifests: list[str] = committed("uniprot")
