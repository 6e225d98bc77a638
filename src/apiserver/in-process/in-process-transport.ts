import type { Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { type CallForm, inProcessCall, inProcessWatch } from './in-process-call.ts'
import { inProcessConnections } from './in-process-connections.ts'
import { inProcessPage } from './in-process-page.ts'
import { objectOf } from './object-of.ts'
import { watchEvents } from './watch-events.ts'

/**
 * Calls into the server of the same process: the same pipeline without sockets and text. Returned objects are shared: never change them.
 */
export function inProcess(server: () => PipelineServer, user: UserInfo): Transport {
  return {
    call: (api) => inProcessCall(server(), user, api, OBJECTS),
    watch: (api) =>
      inProcessWatch(server(), user, api, {
        of: (call, session) => watchEvents(call, session, api.signal),
        delegated: (to) => to.watch(api),
      }),
    page: (api) => inProcessPage(server(), user, api),
    connect: inProcessConnections(server, user),
  }
}

const OBJECTS: CallForm<KubeObject> = { of: objectOf, ofObject: (object) => object }
