/** The first lines that authors write, with expected compiler errors: `test/project/package.test.ts` compiles this file. */
import { type Client, createInformer, defineKind, type Informer, type KubeObject, kinds, objectKey, refs, t, targetOf } from 'bowsprit/sdk'
import type { Container, Deployment, Draft, Pod } from 'bowsprit/types'
import { type Gadget, gadgetKind } from './gadget.js'

const IN_DEFAULT = { namespace: 'default' }

export async function readPods(client: Client): Promise<void> {
  const pod = await client.get({ ...refs.PODS, ...IN_DEFAULT, name: 'web' })
  const image: string | undefined = pod.spec.containers[0]?.image
  const phase: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown' | undefined = pod.status?.phase
  // @ts-expect-error a container has an image, no `picture`
  const picture = pod.spec.containers[0]?.picture
  // @ts-expect-error what came out of a cache is read-only
  pod.spec.nodeName = 'node-1'
  const { items } = await client.list(refs.NODES)
  const zones: (string | undefined)[] = items.map((node) => node.status?.capacity?.cpu)
  for await (const events of client.watch(refs.DEPLOYMENTS))
    for (const event of events) if (event.type === 'ADDED') console.log(event.object.spec.replicas)
  console.log(image, phase, picture, zones)
}

export async function writePods(client: Client): Promise<void> {
  const container: Container = { name: 'main', image: 'app:1', ports: [{ containerPort: 80 }] }
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [container] } }
  const created = await client.create({ ...refs.PODS, ...IN_DEFAULT }, pod)
  const draft = structuredClone(created) as Draft<Pod>
  draft.spec.containers = [{ name: 'main', image: 'app:2' }]
  await client.update({ ...refs.PODS, ...IN_DEFAULT, name: 'web' }, draft)
  // @ts-expect-error a Deployment is no Pod
  await client.create({ ...refs.PODS, ...IN_DEFAULT }, {} as Deployment)
  // @ts-expect-error a Deployment needs a template
  const incomplete: Deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { selector: {} } }
  await client.patch({ ...refs.PODS, ...IN_DEFAULT, name: 'web' }, 'merge', { metadata: { labels: { tier: 'web' } } })
  console.log(incomplete)
}

export function watchPods(client: Client): Informer<Pod> {
  const pods = createInformer({ client, target: refs.PODS, indexers: { node: (pod) => [pod.spec.nodeName ?? ''] } })
  pods.addHandler({ added: (pod) => console.log(objectKey(pod), pod.spec.restartPolicy) })
  return pods
}

/** Custom kinds work with the same calls: by `defineKind`, by generated types, by types of their own, and without types. */
export async function readCustom(client: Client): Promise<void> {
  const spec = t.object({ size: t.integer() })
  const Shirt = defineKind({ group: 'example.com', version: 'v1', kind: 'Shirt', spec })
  const shirt = await client.get(targetOf(Shirt, { name: 'a', ...IN_DEFAULT }))
  const size: number = shirt.spec.size
  const gadget: Readonly<Gadget> = await client.get({ ...gadgetKind.ref, ...IN_DEFAULT, name: 'a' })
  type Widget = KubeObject<{ readonly color: string }, { readonly painted?: boolean }>
  const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' }
  const widget = await client.get<Widget>({ ...widgets, ...IN_DEFAULT, name: 'a' })
  const painted: boolean | undefined = widget.status?.painted
  const any: Readonly<KubeObject> = await client.get({ ...widgets, ...IN_DEFAULT, name: 'a' })
  console.log(size, gadget, painted, any.metadata.name, kinds.POD.ref)
}
