"""What a query costs on accelerators that are paid by the hour: lines of a bill, splits of it, whole replicas.

The paid hours are the bill. Utilization divides capacity and never the rent: an hour that serves nothing costs what a busy one does,
and stands in the answer as idle cost.
"""
