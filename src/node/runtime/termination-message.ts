/** The longest termination message of a container, in bytes (`MaxContainerTerminationMessageLength`). */
export const MOST_MESSAGE_BYTES = 4096

/** Of a longer message the end is shown. */
export const endOfMessage = (message: string): string =>
  message.length * 3 <= MOST_MESSAGE_BYTES ? message : Buffer.from(message).subarray(-MOST_MESSAGE_BYTES).toString()
