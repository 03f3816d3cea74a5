"""Indexes that are searched as one although no process has all of them: shards, and what they tell each other.

A shard answers in steps (:mod:`~porism.serve.shards.shard`); a :class:`~porism.serve.shards.federated.FederatedIndex`
adds up what they count, and ranks what they find.
"""
