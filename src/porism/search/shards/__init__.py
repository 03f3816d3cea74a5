"""Indexes that are searched as one although no process has all of them: shards, and what they tell each other.

A shard answers in steps (:mod:`~porism.search.shards.shard`); a :class:`~porism.search.shards.federated.FederatedIndex`
adds up what they count, and ranks what they find.
"""
