import type { KubeObject } from '../../../machinery/object.ts'
import { conditionsOf, type Fact, fact } from './conditions.ts'
import { type Fields, fields, list } from './foreign-fields.ts'
import { GATEWAY_CONTROLLER, type Gateway, type HttpRoute } from './gateway-types.ts'
import { type PlannedListener, supportedKinds } from './plan-listeners.ts'
import type { PlannedParent } from './plan-routes.ts'

/** A listener with what has become of its port. */
interface ServedListener extends PlannedListener {
  readonly attached: number
  readonly programmed: Fact
}

/** The status that a GatewayClass has to have. */
export function classStatus({ metadata: { generation = 0 }, status }: KubeObject, now: string): object {
  const accepted = fact('Accepted', true, 'Accepted', `${GATEWAY_CONTROLLER} serves Gateways of this class`)
  return { ...fields(status), conditions: conditionsOf([accepted], fields(status).conditions, { generation, now }) }
}

/** The status that a Gateway has to have. */
export function gatewayStatus(
  { generation, status }: Gateway,
  listeners: readonly ServedListener[],
  { host, now }: { readonly host: string; readonly now: string },
): object {
  const before = fields(status)
  const accepted = listeners.some((planned) => planned.accepted)
  const programmed = listeners.some((planned) => planned.programmed.status)
  const facts = [
    accepted
      ? fact('Accepted', true, 'Accepted', 'listeners of the Gateway are served on this machine')
      : fact('Accepted', false, 'ListenersNotValid', 'no listener of the Gateway can be served'),
    programmed
      ? fact('Programmed', true, 'Programmed', listeners.map((planned) => planned.programmed.message).join('; '))
      : fact('Programmed', false, 'Invalid', 'no listener of the Gateway is open'),
  ]
  return {
    addresses: [{ type: 'IPAddress', value: host }],
    conditions: conditionsOf(facts, before.conditions, { generation, now }),
    listeners: listeners.map(({ listener, attached, programmed: port, ...planned }) => {
      const old = list(before.listeners).find(({ name }) => name === listener.name)
      return {
        name: listener.name,
        supportedKinds: supportedKinds(listener),
        attachedRoutes: attached,
        conditions: conditionsOf([...planned.facts, port], old?.conditions, { generation, now }),
      }
    }),
  }
}

/** The status that a route has to have: what other controllers wrote stays. Undefined: it is none of ours, and never was. */
export function routeStatus({ generation, status }: HttpRoute, parents: readonly PlannedParent[], now: string): object | undefined {
  const before = list(fields(status).parents)
  const isOurs = ({ controllerName }: Fields) => controllerName === GATEWAY_CONTROLLER
  if (parents.length === 0 && !before.some(isOurs)) return undefined
  const own = parents.map(({ parent, facts }) => {
    const old = before.find((one) => isOurs(one) && JSON.stringify(one.parentRef) === JSON.stringify(parent.given))
    const conditions = conditionsOf(facts, old?.conditions, { generation, now })
    return { parentRef: parent.given, controllerName: GATEWAY_CONTROLLER, conditions }
  })
  return { parents: [...before.filter((one) => !isOurs(one)), ...own] }
}
