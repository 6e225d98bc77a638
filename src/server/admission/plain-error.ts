import { StatusError } from '../../machinery/status-error.ts'

/** An error of a plugin that upstream makes no Status of: its text alone, with code 500 and no reason. */
export const plainError = (message: string): StatusError => new StatusError({ code: 500, reason: '', message })
