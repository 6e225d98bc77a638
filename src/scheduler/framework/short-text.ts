/** What an external plugin may give as one reason, in characters. */
export const LONGEST_REASON = 4096
/** The message of a condition, as Kubernetes bounds it where it does (`metav1.Condition`). */
export const LONGEST_MESSAGE = 32_768

/** The beginning of a text that others wrote. It is copied: a part of a text would keep all of it in memory. */
export const shortText = (text: string, most: number): string =>
  text.length <= most ? text : `${Buffer.from(text.slice(0, most - 1)).toString()}…`
