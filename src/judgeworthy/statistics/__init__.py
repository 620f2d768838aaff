"""Estimators: arrays in, frozen results with intervals out."""
