import type { RecordedStep } from '../../apiserver/request/trail.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { Json } from '../../machinery/object.ts'
import type { TrailChange, TrailStep } from '../../resources/bowsprit/request-trail.ts'

/** Annotations of the patches of webhooks, in the order of their calls. */
export const PATCHES = 'patch.webhook.admission.k8s.io/'
const MOST_TEXT = 512
const MOST_CHANGES = 32

interface WebhookPatch {
  readonly webhook: string
  readonly patch: readonly { readonly op: string; readonly path: string; readonly value?: Json }[]
}

/** The steps with what each webhook changed, from the patches that were annotated for the audit log. */
export function withWebhookChanges(steps: readonly RecordedStep[], patches: readonly string[]): TrailStep[] {
  // The server itself wrote these texts.
  const waiting = patches.map((text) => JSON.parse(text) as WebhookPatch)
  return steps.map((step) => {
    const at = step.phase === 'validate' ? -1 : waiting.findIndex(({ webhook }) => webhook === step.webhook)
    const [found] = at < 0 ? [] : waiting.splice(at, 1)
    return found === undefined ? step : { ...step, ...changesIn(found) }
  })
}

function changesIn({ patch }: WebhookPatch): Pick<TrailStep, 'changes' | 'unlisted'> {
  const unlisted = patch.length - MOST_CHANGES
  return { changes: patch.slice(0, MOST_CHANGES).map(changeOf), ...(unlisted > 0 && { unlisted }) }
}

function changeOf({ path, value }: WebhookPatch['patch'][number]): TrailChange {
  const parts = path.split('/').slice(1)
  const dotted = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
  return { path: dotted, ...(value !== undefined && { to: encodeJson(value).slice(0, MOST_TEXT) }) }
}
