/** The headers of an answer. */
export type Headers = Readonly<Record<string, string | readonly string[]>>
