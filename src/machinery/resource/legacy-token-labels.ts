/** Label of a secret with a token: the day of its last use at the API server. */
export const LAST_USED = 'kubernetes.io/legacy-token-last-used'
/** Label of a secret with a long unused token: the day from which the API server rejects it. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** The day of a time, as in the labels. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
