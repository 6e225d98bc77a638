/** The verbs that change nothing. */
export const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
