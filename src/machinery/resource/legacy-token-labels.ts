/** On a secret with a token: the day on which somebody showed it to the API server last. */
export const LAST_USED = 'kubernetes.io/legacy-token-last-used'
/** On a secret with a token that nobody has used for long: from the day that it names the API server refuses the token. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** The day of a time, as the labels name it. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
