import { isStatus, type StatusReason } from './status-error.ts'

/**
 * For `.catch`: the call resolves with undefined where it failed for one of these reasons; any other failure is thrown on.
 *
 * ```ts
 * await client.delete(target).catch(ignoring('NotFound'))
 * ```
 */
export const ignoring =
  (...reasons: readonly StatusReason[]) =>
  (error: unknown): undefined => {
    if (!isStatus(error, ...reasons)) throw error
  }
