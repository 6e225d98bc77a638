import { type AuditBackend, ignoringLoss, unionBackend } from '../../apiserver/audit/audit-backend.ts'
import { BatchingBackend } from '../../apiserver/audit/batching-backend.ts'
import { fileBackend } from '../../apiserver/audit/file-backend.ts'
import { truncatingBackend } from '../../apiserver/audit/truncating-backend.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import { OptionsError } from '../options-error.ts'
import { readWebhookKubeconfig } from '../webhook-callers/kubeconfig.ts'
import { createWebhookCaller } from '../webhook-callers/webhook-caller.ts'
import type { AuditOptions, DeliveryOptions } from './audit-options.ts'
import { openRotatingFile } from './rotating-file.ts'
import { webhookBackend } from './webhook-backend.ts'

export interface AuditDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called when a backend (`log`, `webhook`) lost events. */
  readonly lost: (backend: string, events: number) => void
}

/** The longest time that a slow receiver delays the following batches. */
const ORDER_MS = 500

/** The backends of the options; undefined: there are none. */
export async function createAuditBackend(options: AuditOptions, deps: AuditDeps): Promise<AuditBackend | undefined> {
  const { log, webhook } = options
  const backends: AuditBackend[] = []
  if (log !== undefined) {
    const lost = noteLoss('log', deps)
    backends.push(delivered(fileBackend(openRotatingFile(log, deps), log.format, lost), log.delivery, { ...deps, lost }))
  }
  if (webhook !== undefined) {
    const lost = noteLoss('webhook', deps)
    const caller = createWebhookCaller(await webhookOf(webhook.kubeConfigFile), deps)
    const backend = webhookBackend(caller, webhook.firstDelayMs, { ...deps, lost })
    backends.push(delivered(backend, webhook.delivery, { ...deps, lost }))
  }
  return backends.length === 0 ? undefined : unionBackend(backends)
}

async function webhookOf(file: string) {
  try {
    return await readWebhookKubeconfig(file)
  } catch (cause) {
    throw new OptionsError('bad-file', `initializing audit webhook: ${messageOf(cause)}`, { cause })
  }
}

type Lost = (events: number, error: unknown) => void

function noteLoss(backend: string, { log, lost }: AuditDeps): Lost {
  return (events, error) => {
    lost(backend, events)
    log.error('audit events are lost', { backend, events, error })
  }
}

function delivered(
  backend: AuditBackend,
  { mode, batch, mostEventBytes }: DeliveryOptions,
  { clock, lost }: { readonly clock: Clock; readonly lost: Lost },
): AuditBackend {
  const full = (events: number) => lost(events, new Error('audit buffer queue blocked'))
  const large = () => lost(1, new Error('the event is too large even without its bodies'))
  const sent =
    mode === 'blocking-strict'
      ? backend
      : mode === 'blocking'
        ? ignoringLoss(backend)
        : new BatchingBackend({ ...batch, orderMs: ORDER_MS }, backend, { clock, dropped: full })
  return mostEventBytes === undefined ? sent : truncatingBackend(sent, mostEventBytes, large)
}
