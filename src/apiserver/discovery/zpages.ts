import { StatusError } from '../../machinery/status-error.ts'
import type { PlainRequest, PlainResponse } from '../request/plain-paths.ts'

/** `/statusz` and `/flagz`: facts about this program, for people and tools. */
export function zpage(kind: 'Statusz' | 'Flagz', facts: Readonly<Record<string, string>>): (request: PlainRequest) => PlainResponse {
  return ({ headers }) => {
    const accept = headers.accept ?? ''
    const structured = `application/json;g=config.k8s.io;v=v1alpha1;as=${kind}`
    if (asksFor(accept, kind)) {
      const body = { kind, apiVersion: 'config.k8s.io/v1alpha1', metadata: { name: 'apiserver' }, ...facts }
      return { code: 200, headers: { 'content-type': structured }, body: `${JSON.stringify(body)}\n` }
    }
    if (/(^|,)\s*(text\/plain|\*\/\*|text\/\*)/.test(accept)) {
      const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
      return {
        code: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `\napiserver ${kind.toLowerCase()}\n\n${lines.join('\n')}\n`,
      }
    }
    const message = `only the following media types are accepted: text/plain, ${structured}`
    throw new StatusError({ code: 406, reason: 'NotAcceptable', message })
  }
}

function asksFor(accept: string, kind: string): boolean {
  const wanted = ['g=config.k8s.io', 'v=v1alpha1', `as=${kind}`]
  return accept.split(',').some((clause) => {
    const parts = clause.split(';').map((p) => p.trim())
    return parts[0] === 'application/json' && wanted.every((p) => parts.includes(p))
  })
}
