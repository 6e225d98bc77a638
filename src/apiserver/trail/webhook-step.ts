import type { WebhookCall } from '../metrics/webhook-counts.ts'
import type { RecordedStep } from '../request/trail.ts'

const OUTCOMES = { allowed: 'passed', denied: 'refused', failed: 'failed' } as const

/** The call of a webhook, as a step of its request. */
export const webhookStep = ({ name, mutating, seconds, ended }: WebhookCall): RecordedStep => ({
  phase: mutating ? 'mutate' : 'validate',
  plugin: mutating ? 'MutatingAdmissionWebhook' : 'ValidatingAdmissionWebhook',
  webhook: name,
  outcome: OUTCOMES[ended],
  milliseconds: seconds * 1000,
})
