import type { ContainerStatus, Runtime } from '../../runtime/runtime.ts'
import type { Handler } from '../api-request.ts'
import { type KubeletResponse, NOT_FOUND } from '../kubelet-response.ts'

type Files = { readonly [name: string]: Files | Log }
class Log {
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

/**
 * `/logs/`: the container logs under /var/log of the node in CRI format, listed as Go's file server lists a folder. Files of the real
 * machine are not shown.
 */
export const systemLogs =
  (runtime: Runtime, startedMs: number): Handler =>
  async ({ parameters: { logpath = '' }, path, signal }) => {
    let at: Files | Log = tree(await runtime.containers({}, signal))
    const names = logpath.split('/').filter((n) => n !== '')
    for (const name of names) {
      if (at instanceof Log) return NOT_FOUND
      const next: Files | Log | undefined = Object.hasOwn(at, name) ? at[name] : undefined
      if (next === undefined) return NOT_FOUND
      at = next
    }
    const slash = path.endsWith('/')
    const last = names.at(-1) ?? ''
    const modified = { 'Last-Modified': new Date(startedMs).toUTCString() }
    if (at instanceof Log)
      return slash ? moved(`../${last}`) : { code: 200, headers: { ...FILE, ...modified }, body: lines(runtime, at.id, signal) }
    if (!slash && names.length > 0) return moved(`${last}/`)
    const entries = Object.entries(at).map(([name, value]) => (value instanceof Log ? name : `${name}/`))
    const body = entries.sort().map((name) => `<a href="${encodeURI(name)}">${escaped(name)}</a>\n`)
    return { code: 200, headers: { 'Content-Type': 'text/html; charset=utf-8', ...modified }, body: `${HEAD}${body.join('')}</pre>\n` }
  }

const FILE = { 'Content-Type': 'text/plain; charset=utf-8', 'Accept-Ranges': 'none' }
const HEAD = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n'
const moved = (location: string): KubeletResponse => ({ code: 301, headers: { Location: location }, body: '' })
const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&#34;').replace(/'/g, '&#39;')

function tree(containers: readonly ContainerStatus[]): Files {
  const pods: Record<string, Record<string, Record<string, Log>>> = Object.create(null)
  const links: Record<string, Log> = Object.create(null)
  for (const { id, name, attempt, pod, state } of containers) {
    if (state === 'created') continue
    const log = new Log(id)
    const folder = `${pod.namespace}_${pod.name}_${pod.uid}`
    pods[folder] ??= Object.create(null) as Record<string, Record<string, Log>>
    pods[folder][name] ??= Object.create(null) as Record<string, Log>
    pods[folder][name][`${attempt}.log`] = log
    links[`${pod.name}_${pod.namespace}_${name}-${id.slice(id.indexOf('://') + 1).replace(/^\/+/, '')}.log`] = log
  }
  return { containers: links, pods }
}

async function* lines(runtime: Runtime, id: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const log = await runtime.logs(id, { timestamps: true }, signal)
  if (log === undefined) return
  for await (const piece of log) {
    const reported = piece.split('\n').filter((line) => line !== '')
    yield Buffer.from(reported.map((line) => `${line.replace(' ', ' stdout F ')}\n`).join(''))
  }
}
