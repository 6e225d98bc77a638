import type { RequestInfo } from './request-info.ts'

const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

/** Watches and subresources that are streams: the normal time limit does not apply to them (kube-apiserver's long-running requests). */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' || (info.target !== undefined && STREAMS.has(info.target.subresource))
