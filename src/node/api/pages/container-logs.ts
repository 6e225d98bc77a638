import { TimeError } from '../../../machinery/go/time-error.ts'
import { canonicalTime } from '../../../machinery/schema/go-time.ts'
import { LogError, type PodLogQuery } from '../../pod/open-log.ts'
import type { Handler } from '../api-request.ts'
import { containerNames, type KubeletHost, podByName } from '../kubelet-host.ts'
import { text } from '../kubelet-response.ts'

const UNREADABLE = text(400, '{"message": "Unable to decode query."}')
const INVALID = text(422, '{"message": "Invalid request."}')

/** `/containerLogs/{podNamespace}/{podID}/{containerName}`, with the options of `v1 PodLogOptions`. */
export const containerLogs =
  (host: KubeletHost, now: () => number): Handler =>
  ({ parameters: { podNamespace = '', podID = '', containerName = '' }, query, signal }) => {
    const options = readOptions(query, now())
    if (options === 'unreadable') return UNREADABLE
    if (options === 'invalid') return INVALID
    const pod = podByName(host, podNamespace, podID)
    if (pod === undefined) return text(404, `pod ${JSON.stringify(podID)} does not exist`)
    if (!containerNames(pod).includes(containerName))
      return text(404, `container ${JSON.stringify(containerName)} not found in pod ${JSON.stringify(podID)}`)
    if (options.stream !== 'All')
      return text(
        400,
        `unable to return the given log stream: ${JSON.stringify(options.stream)}. Please enable PodLogsQuerySplitStreams feature gate in kubelet`,
      )
    try {
      const log = host.logs(pod, containerName, options.log, signal)
      return { code: 200, headers: {}, body: bytes(log, options.limitBytes) }
    } catch (error) {
      // The kubelet has started a chunked response without a content type by then.
      if (error instanceof LogError) return { code: 400, headers: {}, body: whole(error.message) }
      throw error
    }
  }

async function* whole(said: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(said)
}

async function* bytes(log: AsyncIterable<string>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const line of log) {
    const chunk = Buffer.from(line)
    yield left < chunk.length ? chunk.subarray(0, left) : chunk
    left -= chunk.length
    if (left <= 0) return
  }
}

interface ContainerLogOptions {
  readonly log: PodLogQuery
  readonly limitBytes: number
  readonly stream: string
}

const STREAMS: readonly string[] = ['All', 'Stdout', 'Stderr']

function readOptions(query: URLSearchParams, nowMs: number): ContainerLogOptions | 'unreadable' | 'invalid' {
  const tail = query.get('tail') ?? ''
  const tailText = tail === '' ? query.get('tailLines') : tail === 'all' ? null : tail
  const [tailLines, limitBytes, sinceSeconds] = [tailText, query.get('limitBytes'), query.get('sinceSeconds')].map(integer)
  const sinceTime = time(query.get('sinceTime'))
  if ([tailLines, limitBytes, sinceSeconds, sinceTime].includes('unreadable')) return 'unreadable'
  const below = (value: typeof tailLines, least: number) => typeof value === 'number' && value < least
  if (below(tailLines, 0) || below(limitBytes, 1) || below(sinceSeconds, 1)) return 'invalid'
  if (sinceSeconds !== undefined && sinceTime !== undefined) return 'invalid'
  const stream = query.get('stream') ?? 'All'
  if (!STREAMS.includes(stream) || (stream !== 'All' && tailLines !== undefined)) return 'invalid'
  const sinceMs =
    typeof sinceSeconds === 'number' ? nowMs - sinceSeconds * 1000 : typeof sinceTime === 'string' ? Date.parse(sinceTime) : undefined
  const flag = (name: string) => !['false', '0'].includes((query.get(name) ?? 'false').toLowerCase())
  return {
    log: {
      follow: flag('follow'),
      previous: flag('previous'),
      timestamps: flag('timestamps'),
      ...(typeof tailLines === 'number' && { tailLines }),
      ...(sinceMs !== undefined && { sinceMs }),
    },
    limitBytes: typeof limitBytes === 'number' ? limitBytes : Number.POSITIVE_INFINITY,
    stream,
  }
}

function integer(value: string | null | undefined): number | undefined | 'unreadable' {
  if (value === null || value === undefined) return undefined
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN
  return Number.isNaN(number) || Math.abs(number) > 2 ** 63 ? 'unreadable' : number
}

function time(value: string | null): string | undefined | 'unreadable' {
  if (value === null || value === '') return undefined
  try {
    return canonicalTime(value)
  } catch (error) {
    if (error instanceof TimeError) return 'unreadable'
    throw error
  }
}
