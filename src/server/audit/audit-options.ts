import type { BatchConfig } from '../../apiserver/audit/batching-backend.ts'
import type { AuditPolicy } from '../../apiserver/audit/policy.ts'
import type { RotationOptions } from './rotating-file.ts'

/** Whether requests wait for their events: `blocking-strict` also fails with them. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

/** How events are written into a file. */
export const AUDIT_FORMATS = ['legacy', 'json'] as const

/** How events reach a backend. */
export interface DeliveryOptions {
  readonly mode: AuditMode
  readonly batch: Omit<BatchConfig, 'orderMs'>
  /** Larger events lose their bodies; undefined: none do. */
  readonly mostEventBytes: number | undefined
}

export interface AuditOptions {
  /** Undefined: nothing is written down, wherever it would go. */
  readonly policy: AuditPolicy | undefined
  /** Fields of the policy that a policy does not have. */
  readonly unknownFields: readonly string[]
  readonly log: (RotationOptions & { readonly format: (typeof AUDIT_FORMATS)[number]; readonly delivery: DeliveryOptions }) | undefined
  readonly webhook: { readonly kubeConfigFile: string; readonly firstDelayMs: number; readonly delivery: DeliveryOptions } | undefined
}

/** Nothing is written down. */
export const NO_AUDIT: AuditOptions = { policy: undefined, unknownFields: [], log: undefined, webhook: undefined }
