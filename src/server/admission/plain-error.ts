import { StatusError } from '../../machinery/status-error.ts'

/** An error without a Status upstream: only its message, with code 500 and no reason. */
export const plainError = (message: string): StatusError => new StatusError({ code: 500, reason: '', message })
