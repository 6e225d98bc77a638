import type { EncodedTransport } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { type CallForm, inProcessCall, inProcessWatch } from '../in-process/in-process-call.ts'
import { inProcessConnections } from '../in-process/in-process-connections.ts'
import { inProcessPage } from '../in-process/in-process-page.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { linesOfList, linesOfObject } from './list-lines.ts'
import { encodedObject, encodedOf } from './object-text.ts'
import { eventLines, watchLines } from './watch-lines.ts'

/** Calls into the server of the same process, whose responses are the bytes that an HTTP client gets: for clients in other threads. */
export function encodedTransport(server: () => PipelineServer, user: UserInfo): EncodedTransport {
  return {
    call: (api) => inProcessCall(server(), user, api, TEXTS),
    async *list(api) {
      yield* await inProcessCall(server(), user, api, LISTS)
    },
    watch: (api) =>
      inProcessWatch<string | Uint8Array>(server(), user, api, {
        of: (call, session) => watchLines(call, session, api.signal),
        delegated: (to) => eventLines(to.watch(api)),
      }),
    page: (api) => inProcessPage(server(), user, api),
    connect: inProcessConnections(server, user),
  }
}

const TEXTS: CallForm<string | Uint8Array> = { of: encodedOf, ofObject: encodedObject }
const LISTS: CallForm<AsyncIterable<string | Uint8Array>> = { of: linesOfList, ofObject: linesOfObject }
