"""Index runs on many machines.

worker       what a machine does with a batch of documents     ray_engine   workers on Ray: queue, retries, lost nodes
"""
