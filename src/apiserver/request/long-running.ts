import type { RequestInfo } from './request-info.ts'

const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

/** Watches, and subresources that are streams: they last as long as their own rules say (kube-apiserver's long-running requests). */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' || (info.target !== undefined && STREAMS.has(info.target.subresource))
