import { asJson, type JsonObject } from './object.ts'
import { type Status, StatusError } from './status-error.ts'

/** How a remote process has ended: with an exit code, or with an error. */
export type Outcome = { readonly kind: 'exit'; readonly exitCode: number } | { readonly kind: 'failed'; readonly error: Error }

const NON_ZERO = 'NonZeroExitCode'

/** The Status that newer subprotocols send on the error channel. */
export function statusOf(outcome: Outcome): JsonObject {
  if (outcome.kind === 'failed') return failureStatus(outcome.error)
  if (outcome.exitCode === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${outcome.exitCode}`,
    reason: NON_ZERO,
    details: { causes: [{ reason: 'ExitCode', message: String(outcome.exitCode) }] },
  }
}

function failureStatus(error: Error): JsonObject {
  if (error instanceof StatusError) return { metadata: {}, ...asJson(error.status) }
  const message = `Internal error occurred: ${error.message}`
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  }
}

/** The same as the container runtime's own server sends it with `v4.channel.k8s.io`, without metadata. */
export function runtimeStatusOf(outcome: Outcome): JsonObject {
  if (outcome.kind === 'failed') return { status: 'Failure', message: textOf(outcome), reason: 'InternalError', code: 500 }
  const { metadata: _, ...status } = statusOf(outcome)
  return status
}

/** The text that older subprotocols send instead; empty for success. */
export function textOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return `Internal error occurred: ${outcome.error.message}`
  return outcome.exitCode === 0 ? '' : String(statusOf(outcome).message)
}

/** Decodes such a Status, on the client's side. */
export function outcomeOf(status: Partial<Status>): Outcome {
  if (status.status === 'Success') return { kind: 'exit', exitCode: 0 }
  const code = status.details?.causes?.find((c) => c.reason === 'ExitCode')?.message
  if ((status.reason as string | undefined) === NON_ZERO && code !== undefined) return { kind: 'exit', exitCode: Number(code) }
  return { kind: 'failed', error: StatusError.from({ ...status, metadata: {}, code: status.code ?? 500 } as Status) }
}
