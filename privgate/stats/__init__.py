"""Statistics on plain numbers: intervals, comparisons with ties, seeded generators."""
