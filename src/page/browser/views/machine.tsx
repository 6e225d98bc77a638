import { useSignal } from '@preact/signals'
import type { MachineCpu, MachineDevices, MachineNuma, MachinePage, MachinePod, MachineResource } from '../../wire/machine-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { Answer } from '../parts/answer.tsx'
import { Link } from '../parts/link.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { objectPath } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'

/** A node: its parts, and which pod has them. */
export function MachineTab({ object }: { readonly object: ObjectName }) {
  const message = useStream({ type: 'machine', object }).value
  return (
    <Answer message={message} type="machine" waiting="Reading the node …">
      {({ page }) => <Machine page={page} />}
    </Answer>
  )
}

function Machine({ page }: { readonly page: MachinePage }) {
  const chosen = useSignal('')
  const choose = (pod: string) => {
    chosen.value = pod
  }
  return (
    <div class="scrolled machine">
      <dl class="facts">
        {page.facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Resources resources={page.resources} />
      {page.numa.length === 0 ? null : (
        <section aria-labelledby="numa">
          <h2 id="numa">
            NUMA nodes <small>{page.policy}</small>
          </h2>
          <div class="numa-nodes">
            {page.numa.map((numa) => (
              <Numa key={numa.id} numa={numa} chosen={chosen.value} />
            ))}
          </div>
          <p class="calm">
            <i class="cpu cpu-pod" /> of one pod <i class="cpu cpu-shared" /> shared <i class="cpu cpu-reserved" /> of the system{' '}
            <i class="cpu cpu-pod chosen" /> of the chosen pod
          </p>
        </section>
      )}
      {page.devices.length === 0 ? null : (
        <section aria-labelledby="devices">
          <h2 id="devices">Devices of no NUMA node</h2>
          {page.devices.map((devices) => (
            <Devices key={devices.resource} of={devices} chosen={chosen.value} />
          ))}
        </section>
      )}
      <Claims page={page} />
      <Pods page={page} chosen={chosen.value} onChoose={choose} />
    </div>
  )
}

function Resources({ resources }: { readonly resources: readonly MachineResource[] }) {
  return (
    <section aria-labelledby="resources">
      <h2 id="resources">Resources</h2>
      <table class="events resources">
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Requested</th>
            <th scope="col">Allocatable</th>
            <th scope="col">Capacity</th>
            <th scope="col">
              <span class="hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {resources.map(({ name, requested, allocatable, capacity, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{requested}</td>
              <td class="number">{allocatable}</td>
              <td class="number">{capacity}</td>
              <td class="share">
                <meter min={0} max={1} value={share} aria-label={`${name} requested`}>
                  {Math.round(100 * share)} %
                </meter>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Numa({ numa: { id, cpus, memory, devices }, chosen }: { readonly numa: MachineNuma; readonly chosen: string }) {
  return (
    <div class="panel numa">
      <h3>
        NUMA node {id} <small>socket {cpus[0]?.socket ?? ''}</small>
      </h3>
      <p class="cpus">
        {cpus.map((cpu) => (
          <Cpu key={cpu.id} cpu={cpu} chosen={chosen} />
        ))}
      </p>
      {memory
        .filter(({ total }) => total > 0)
        .map(({ type, total, reserved, used }) => (
          <p key={type} class="calm">
            {type}: {bytesText(total)}, {bytesText(used)} of pods, {bytesText(reserved)} of the system
          </p>
        ))}
      {devices.map((of) => (
        <Devices key={of.resource} of={of} chosen={chosen} />
      ))}
    </div>
  )
}

function Cpu({ cpu: { id, core, use, pod }, chosen }: { readonly cpu: MachineCpu; readonly chosen: string }) {
  const what = `CPU ${id}, core ${core}: ${use === 'pod' ? pod || 'a pod' : use === 'reserved' ? 'of the system' : 'shared'}`
  return (
    <i class={`cpu cpu-${use} ${chosen !== '' && pod === chosen ? 'chosen' : ''}`} role="img" aria-label={what} title={what}>
      {id}
    </i>
  )
}

function Devices({ of: { resource, total, free, unhealthy, devices }, chosen }: { readonly of: MachineDevices; readonly chosen: string }) {
  return (
    <p class="devices">
      <b>{resource}</b> {free} of {total} free{unhealthy > 0 ? <span class="bad">, {unhealthy} not healthy</span> : ''}{' '}
      {devices.map(({ id, healthy, pod }) => {
        const what = `${id}: ${pod || 'free'}${healthy ? '' : ', not healthy'}`
        return (
          <i
            key={id}
            class={`cpu ${healthy ? `cpu-${pod === '' ? 'shared' : 'pod'}` : 'cpu-broken'} ${chosen !== '' && pod === chosen ? 'chosen' : ''}`}
            role="img"
            aria-label={what}
            title={what}
          >
            {healthy ? '' : '!'}
          </i>
        )
      })}
    </p>
  )
}

function Claims({ page: { slices, claims } }: { readonly page: MachinePage }) {
  if (slices.length === 0 && claims.length === 0) return null
  return (
    <section aria-labelledby="claims">
      <h2 id="claims">Devices of drivers, and claims</h2>
      <ul>
        {slices.map(({ driver, pool, devices, unlisted }) => (
          <li key={`${driver}/${pool}/${devices[0]}`}>
            <b>{driver}</b> {pool}: {devices.join(', ')}
            {unlisted > 0 ? ` and ${unlisted} more` : ''}
          </li>
        ))}
        {claims.map(({ namespace, name, devices, pods }) => (
          <li key={`${namespace}/${name}`}>
            <Link to={objectPath({ group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', namespace, name })}>
              {namespace}/{name}
            </Link>{' '}
            has {devices.join(', ')} for {pods.join(', ')}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface PodsProps {
  readonly page: MachinePage
  readonly chosen: string
  onChoose(pod: string): void
}

function Pods({ page: { pods, morePods }, chosen, onChoose }: PodsProps) {
  return (
    <section aria-labelledby="pods">
      <h2 id="pods">
        Pods <small>{pods.length + morePods}</small>
      </h2>
      <ul>
        {pods.map((pod) => (
          <PodLine
            key={`${pod.namespace}/${pod.name}`}
            pod={pod}
            isChosen={chosen === `${pod.namespace}/${pod.name}`}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {morePods > 0 ? <p class="calm">and {morePods} more</p> : null}
    </section>
  )
}

interface PodLineProps {
  readonly pod: MachinePod
  readonly isChosen: boolean
  onChoose(pod: string): void
}

function PodLine({ pod: { namespace, name, tone, health, has, hints }, isChosen, onChoose }: PodLineProps) {
  return (
    <li>
      <ToneMark tone={tone} />
      <Link to={objectPath({ group: '', version: 'v1', resource: 'pods', namespace, name })}>
        {namespace}/{name}
      </Link>{' '}
      {has === '' ? null : (
        <button type="button" aria-pressed={isChosen} onClick={() => onChoose(isChosen ? '' : `${namespace}/${name}`)}>
          {isChosen ? 'its parts are marked' : 'mark its parts'}
        </button>
      )}
      {health === '' ? null : <span class="why">{health}</span>}
      {has === '' ? null : <span class="why">{has}</span>}
      {!isChosen || hints.length === 0 ? null : (
        <table class="events hints">
          <thead>
            <tr>
              <th scope="col">Container</th>
              <th scope="col">Hints of</th>
              <th scope="col">NUMA nodes (! preferred)</th>
            </tr>
          </thead>
          <tbody>
            {hints.map(({ container, provider, masks }, i) => (
              <tr key={i}>
                <td>{container}</td>
                <td>{provider}</td>
                <td>
                  <code>{masks}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  )
}

const UNITS = ['B', 'Ki', 'Mi', 'Gi', 'Ti'] as const

function bytesText(bytes: number): string {
  const unit = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Number((bytes / 1024 ** unit).toFixed(1))} ${UNITS[unit]}`
}
