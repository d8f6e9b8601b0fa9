"""Use case: counting corpora, many texts from files, in constant memory and restartable.

`sources` finds the files, `reading` streams texts out of them, `counting` counts a batch, `running` keeps the workers
busy, `totals` adds up, `checkpoint` remembers how far it came, `distributed` does the same on a Dask cluster.
"""
