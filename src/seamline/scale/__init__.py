"""Index runs and servers on many machines.

worker       what a machine does with a batch of documents     ray_engine   workers on Ray: queue, retries, lost nodes
replica      a server that reads one state of its indexes      ray_serve    replicas on Ray Serve, until a signal comes
"""
