import { KUBERNETES_VERSION } from '../../base/version.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, harmless, level, levels, refused, strings, text } from '../../machinery/flags/kinds.ts'

const [MAJOR, MINOR] = KUBERNETES_VERSION.replace(/^v/, '').split('.')
const PREVIOUS = `${MAJOR}.${Number(MINOR) - 1}`
const hiddenFault = (given: string) =>
  `metrics.showHiddenMetricsForVersion: Invalid value: ${goQuote(given)}: must be omitted or have the value '${PREVIOUS}'; only the previous minor version is allowed`

/** Logs, metrics and traces of the server. */
export const OBSERVABILITY_FLAGS = {
  v: level(0, 'v', { help: 'the level of the log; from 2 on, everything' }),
  vmodule: levels(harmless),
  'log-flush-frequency': duration(5000, harmless),
  'log-json-info-buffer-size': text('', harmless),
  'log-json-split-stream': bool(false, harmless),
  'log-text-info-buffer-size': text('', harmless),
  'log-text-split-stream': bool(false, harmless),
  'logging-format': text('text', harmless),
  'tracing-config-file': text('', refused('there are no traces')),
  'allow-metric-labels': text('', harmless),
  'allow-metric-labels-manifest': text('', harmless),
  'disabled-metrics': strings([], harmless),
  'show-hidden-metrics-for-version': text('', harmless),
  'enable-logs-handler': bool(false, refused('logs are not served')),
  'coordinated-leadership-lease-duration': duration(15_000, harmless),
  'coordinated-leadership-renew-deadline': duration(10_000, harmless),
  'coordinated-leadership-retry-period': duration(2000, harmless),
}

export function observabilityFaults({ values }: { readonly values: FlagValues<typeof OBSERVABILITY_FLAGS> }): string[] {
  const format = values['logging-format']
  const hidden = values['show-hidden-metrics-for-version']
  const faults = hidden === '' || hidden === PREVIOUS ? [] : [hiddenFault(hidden)]
  return format === 'text' || format === 'json' ? faults : [`format: Invalid value: ${goQuote(format)}: Unsupported log format`, ...faults]
}
