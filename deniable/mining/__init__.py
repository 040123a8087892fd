"""Frequent itemsets and association rules from distorted transactions, with error bars."""
