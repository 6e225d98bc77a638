import { badRequest, type StatusError } from '../../../machinery/status-error.ts'

/** 400 for a body whose apiVersion and kind cannot be determined. */
export function unrecognizedBody(kind: string, why: string, bytes: Buffer): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`)
}

const SUMMARY = 30

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const tail = bytes.length > SUMMARY ? ' ...' : ''
  const start = bytes.subarray(0, SUMMARY)
  return (bytes[0] === 0x7b ? start.toString() : start.toString('hex')) + tail
}
