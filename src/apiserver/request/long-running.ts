import type { RequestInfo } from './request-info.ts'

const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

const VERBS = new Set(['watch', 'proxy'])

/**
 * Watches, the old proxies, subresources that are streams, and profiles: the normal time limit does not apply to them (kube-apiserver's
 * long-running requests).
 */
export const isLongRunning = ({ verb, target, path }: RequestInfo): boolean =>
  VERBS.has(verb) || (target === undefined ? path.startsWith('/debug/pprof/') : STREAMS.has(target.subresource))
