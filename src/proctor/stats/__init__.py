"""Pure statistics without other Proctor imports; numpy only for resampling and large sums."""
