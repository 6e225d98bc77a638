import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import type { ServingDeps } from '../deps.ts'
import { objectOf } from '../in-process/object-of.ts'
import { pipelineDouble, RequestDouble } from '../pipeline/pipeline.double.ts'
import { pipelineOf, runPipeline } from '../pipeline/pipeline.ts'
import type { PipelineServer } from '../pipeline/step.ts'

/** The body of a request: text, or an object that is sent as JSON. */
interface Sent {
  readonly body?: string | object | undefined
  readonly contentType?: string
}

interface HandlerResponse {
  readonly code: number
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

const STEPS = pipelineOf<PipelineServer, RequestDouble>({ identify: [], admitToFlow: [], matchTypes: [], negotiate: [] })

/** The handlers of one kind behind the pipeline, over an empty store: requests as a client sends them, without sockets. */
export async function handlerDouble(definition?: ResourceDefinition, deps: Partial<ServingDeps> = {}) {
  const world = await pipelineDouble({ kinds: kubernetesKinds, ...deps }, definition)

  /** `send('POST /api/v1/…', { body })`. Throws the error of the response. */
  async function send(line: string, { body = '', contentType = 'application/json' }: Sent = {}): Promise<HandlerResponse> {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const request = new RequestDouble(line, { body: { kind: 'bytes', contentType, read: async () => bytes } })
    await runPipeline(STEPS, world.server, request)
    const { call, result, warnings } = request
    if (call === undefined || result?.kind !== 'handled') throw new Error(`no handler serves ${line}`)
    const { answer } = result
    return { code: 'code' in answer ? answer.code : 200, object: await objectOf(call, answer), warnings }
  }

  return {
    ...world,
    send,
    /** `200`, with warnings `200 warning: unknown field "a"`, or an error, `409 Conflict: the message`. */
    async outcome(line: string, sent?: Sent): Promise<string> {
      try {
        const { code, warnings } = await send(line, sent)
        return [code, ...warnings.map((text) => `warning: ${text}`)].join(' ')
      } catch (error) {
        if (!isStatus(error)) throw error
        return `${error.status.code} ${error.status.reason ?? '-'}: ${error.message}`
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
