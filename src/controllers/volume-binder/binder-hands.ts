import type { Client } from '../../sdk/client/client.ts'
import type { EventRecorder } from '../../sdk/controller/event-recorder.ts'

/** What the binder works and speaks with. */
export interface BinderHands {
  readonly client: Client
  readonly events: Pick<EventRecorder, 'record'>
}
