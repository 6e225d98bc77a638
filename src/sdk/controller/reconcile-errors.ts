import { channel } from 'node:diagnostics_channel'

/** A reconciliation that has failed, and will be tried again. */
export interface ReconcileError {
  /** The controller's name. */
  readonly name: string
  /** The key of the object. */
  readonly key: string
  readonly error: unknown
}

/** Where every `ReconcileError` is published: the search of `bowsprit test-operator` sees crashes there that a controller survives. */
export const reconcileErrors = channel('bowsprit:reconcile-error')

/** Publishes a failed reconciliation. */
export const publishReconcileError = (failed: ReconcileError): void => reconcileErrors.publish(failed)
