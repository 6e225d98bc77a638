import type { Page } from './port.ts'

/** The reported version: the etcd of the supported Kubernetes version. */
export const ETCD_VERSION = '3.6.7'

const json = (value: unknown): Page => ({ status: 200, type: 'application/json', body: JSON.stringify(value) })
const plain = (body: string): Page => ({ status: 200, type: 'text/plain; charset=utf-8', body })

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  '/livez': ['serializable_read'],
  '/readyz': ['non_learner', 'data_corruption', 'serializable_read', 'linearizable_read'],
}

/**
 * The pages that need no proof of identity; undefined for a path without one. `url` is the target of the request line, which may be any
 * text.
 */
export function plainPage(url: string): Page | undefined {
  const [pathname = '', query] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  if (pathname === '/health') return plain(JSON.stringify({ health: 'true', reason: '' }))
  if (pathname === '/version') return json({ etcdserver: ETCD_VERSION, etcdcluster: '3.6.0', storage: '3.6.0' })
  const checks = CHECKS[pathname]
  if (checks === undefined) return undefined
  return plain(searchParams.has('verbose') ? `${checks.map((name) => `[+]${name} ok\n`).join('')}ok\n` : 'ok\n')
}
