/** `bowsprit trace` and `bowsprit tree`: the views of a request and of relations in a terminal, as kubectl plugins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as refs from '../../src/resources/refs.ts'
import { deployment } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { installed } from '../walked-page.ts'

const WEB = JSON.stringify(deployment('web', { replicas: 1 }))

test('a traced request shows its way through the server and what followed; a refused one exits with 1', async (t) => {
  await using cluster = await startCluster({ trails: true })
  const { sh } = await installed(t, cluster)
  await sh(`cat > web.json <<'END'\n${WEB}\nEND`)
  const { out, err, code } = await sh('kubectl bowsprit trace create -f web.json --wait 3000')
  assert.equal(code, 0, err)
  assert.match(out, /^201 create deployments\.apps default\/web by \S+ in [\d.]+ ms$/m)
  assert.match(out, /^ {2}authorize +[\d.]+ ms {2}system:masters$/m)
  assert.match(out, /^ {4}mutate +[\d.]+ ms {2}NamespaceLifecycle$/m)
  assert.match(out, /^ {2}stored +as revision \d+$/m)
  assert.match(out, /^ {4}create replicasets\.apps default\/web-\w+ {2}\(deployment-controller\)$/m)
  const again = await sh('bowsprit trace create -f web.json --wait 0')
  assert.equal(again.code, 1)
  assert.match(again.out, /^409 create .*\ndeployments\.apps "web" already exists$/m)
  const json = await sh(`sed 's/"web"/"site"/' web.json | bowsprit trace apply -f - --wait 0 -o json`)
  assert.deepEqual(
    (JSON.parse(json.out) as { verb: string; code: number }[]).map(({ verb, code }) => [verb, code]),
    [['patch', 201]],
    json.err,
  )
  const gone = await sh('bowsprit trace delete -f web.json --wait 0')
  assert.match(gone.out, /^200 delete deployments\.apps default\/web/m)
  assert.match((await sh('bowsprit trace move -f web.json')).err, /verb: "move" is none of create, apply, delete/)
})

test('the tree of a deployment, by any name of its kind', async (t) => {
  await using cluster = await startCluster()
  const client = cluster.client()
  await client.create({ ...refs.DEPLOYMENTS, namespace: 'default' }, deployment('web', { replicas: 2 }))
  await waitFor(async () => {
    const { items } = await client.list(refs.PODS)
    return items.filter(({ status }) => status?.phase === 'Running').length === 2
  })
  const { sh } = await installed(t, cluster)
  for (const kind of ['deploy/web', 'deployment web', 'Deployment/web', 'deployments.apps/web'])
    assert.match(
      (await sh(`kubectl bowsprit tree ${kind}`)).out,
      /^● Deployment default\/web\n└─ ● ReplicaSet \S+\n {3}├─ ● Pod .*\n {3}└─ ● Pod/,
    )
  const pod = (await client.list(refs.PODS)).items[0]?.metadata.name ?? ''
  assert.match((await sh(`bowsprit tree pod ${pod}`)).out, /^● Deployment default\/web\n└─ ● ReplicaSet/)
  assert.match((await sh('bowsprit tree deploy/lost')).err, /deployments "lost" not found in namespace default/)
  assert.match((await sh('bowsprit tree gadget/a')).err, /the cluster has no kind "gadget"/)
})
