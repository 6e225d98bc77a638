/** On a secret with a token: the day of its last use at the API server. */
export const LAST_USED = 'kubernetes.io/legacy-token-last-used'
/** On a secret with a token that is long unused: the day since which the API server refuses it. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** The day of a time, as the labels name it. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
