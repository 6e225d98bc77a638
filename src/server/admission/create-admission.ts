import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { type AdmissionConfig, PLUGIN_NAMES, PLUGIN_ORDER } from './plugin-order.ts'
import { localPorts } from './rights/local-ports.ts'
import { rbacEscalation } from './rights/rbac-escalation.ts'

/** The enabled plugins in order, then the checks that are not plugins upstream and cannot be disabled. */
export function createAdmission(config: AdmissionConfig, deps: AdmissionDeps): readonly AdmissionPlugin[] {
  const { plugins, dynamic = [] } = config
  const enabled = PLUGIN_ORDER.filter(({ name }) => plugins.includes(name))
  return [
    ...enabled.flatMap(({ name, create }) => create?.(config, deps) ?? dynamic.find((plugin) => plugin.name === name) ?? []),
    ...dynamic.filter(({ name }) => !PLUGIN_NAMES.includes(name)),
    rbacEscalation(deps),
    localPorts(deps),
  ]
}
