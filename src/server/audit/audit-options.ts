import type { BatchConfig } from '../../apiserver/audit/batching-backend.ts'
import type { AuditPolicy } from '../../apiserver/audit/policy.ts'
import type { RotationOptions } from './rotating-file.ts'

/** Whether requests wait for their events: with `blocking-strict` they also fail if the event cannot be written. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

/** How events are written into a file. */
export const AUDIT_FORMATS = ['legacy', 'json'] as const

/** How events are delivered to a backend. */
export interface DeliveryOptions {
  readonly mode: AuditMode
  readonly batch: Omit<BatchConfig, 'orderMs'>
  /** Larger events lose their bodies; undefined: no limit. */
  readonly mostEventBytes: number | undefined
}

export interface AuditOptions {
  /** Undefined: auditing is off. */
  readonly policy: AuditPolicy | undefined
  /** Unknown fields of the policy file. */
  readonly unknownFields: readonly string[]
  readonly log: (RotationOptions & { readonly format: (typeof AUDIT_FORMATS)[number]; readonly delivery: DeliveryOptions }) | undefined
  readonly webhook: { readonly kubeConfigFile: string; readonly firstDelayMs: number; readonly delivery: DeliveryOptions } | undefined
}

/** Auditing is off. */
export const NO_AUDIT: AuditOptions = { policy: undefined, unknownFields: [], log: undefined, webhook: undefined }
