/** Everyday kubectl commands, by three releases, against a whole cluster. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type KubectlMinor, kubectlPath } from '../../scripts/clients.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { type Ended, runProgram } from '../run-program.ts'

const PODS = `
apiVersion: v1
kind: Pod
metadata: {name: talks, labels: {app: talks}}
spec:
  containers:
  - {name: main, image: app, command: [sh, -c, echo one; echo two; sleep 3600]}
  - {name: other, image: app}
---
apiVersion: v1
kind: Pod
metadata: {name: ends}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: app, command: [echo, done]}
---
apiVersion: v1
kind: Pod
metadata: {name: waits}
spec:
  containers:
  - {name: main, image: missing}
`
const MAP = (value: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"},"data":{"a":"${value}"}}`
const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: nginx}
`

for (const minor of ['30', '34', '36'] as const satisfies KubectlMinor[]) {
  test(`kubectl 1.${minor} finds its way`, async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-kubectl-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await using cluster = await startCluster()
    await cluster.listen()
    writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
    const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const program = kubectlPath(minor)
    const kubectl = (line: string, stdin = '') => runProgram(program, line.split(' '), { env, cwd: folder, stdin })
    /** Returns its output; the command has to succeed without output on standard error, unless that is expected. */
    const says = async (line: string, stdin = '', warned = /^$/): Promise<string> => {
      const { code, out, err } = await kubectl(line, stdin)
      assert.equal(code, 0, `kubectl ${line}: ${err}${out}`)
      assert.match(err, warned, `kubectl ${line}`)
      return out
    }
    const fails = async (line: string, wanted: RegExp, stdin = ''): Promise<Ended> => {
      const ended = await kubectl(line, stdin)
      assert.notEqual(ended.code, 0, `kubectl ${line}: ${ended.out}`)
      assert.match(ended.err, wanted)
      return ended
    }

    await t.test('versions and resources', async () => {
      assert.match(await says('version', '', /^(warning: version difference.*\n)?$/i), /Server Version: v1\.36\./)
      const resources = await says('api-resources')
      for (const kind of ['Pod', 'Deployment', 'CustomResourceDefinition', 'ResourceClaim'])
        assert.match(resources, new RegExp(` ${kind}\\n`))
      assert.match(await says('api-versions'), /^apps\/v1$/m)
      assert.match(await says('explain pod.spec.containers.image'), /FIELD: image <string>/)
      assert.match(await says('explain deployment --recursive'), /minReadySeconds\s+<integer>/)
      assert.match(await says('cluster-info'), /Kubernetes control plane.* is running at/)
    })

    await t.test('pods run, are waited for, described and logged', async () => {
      assert.equal(await says('apply -f -', PODS), 'pod/talks created\npod/ends created\npod/waits created\n')
      assert.match(await says('wait --for=condition=Ready pod/talks --timeout=20s'), /pod\/talks condition met/)
      assert.match(await says('wait --for=jsonpath={.status.phase}=Succeeded pod/ends --timeout=20s'), /condition met/)
      assert.match(await says('get pods -l app=talks -o wide'), /talks\s+2\/2\s+Running\s+0\s+\S+\s+10\.\S+\s+node-1/)
      const described = await says('describe pod talks')
      for (const event of ['Scheduled', 'Pulled', 'Created', 'Started']) assert.match(described, new RegExp(`Normal\\s+${event}`))
      assert.equal(await says('logs talks -c main'), 'one\ntwo\n')
      assert.equal(await says('logs talks -c main --tail=1'), 'two\n')
      assert.match(await says('logs talks -c main --timestamps --tail=1'), /^\d{4}-\d\d-\d\dT[\d:.]+Z two\n$/)
      assert.equal(await says('logs talks --limit-bytes=5', '', /Defaulted container "main"/), 'one\nt')
      const both = await says('logs talks --all-containers --prefix --tail=1')
      // kubectl reads both logs at once, and prints their lines as they come.
      const [main = '', other = ''] = both.trimEnd().split('\n').sort()
      assert.equal(main, '[pod/talks/main] two')
      assert.match(other, /^\[pod\/talks\/other\] simulated: there is no program for app: /)
      assert.equal(await says('logs -f ends'), 'done\n')
      await fails('logs talks -c none', /container none is not valid for pod talks/)
      await fails('logs talks -c main --previous', /previous terminated container "main" in pod "talks" not found/)
      assert.match(
        await says('wait --for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff pod/waits --timeout=20s'),
        /met/,
      )
      await fails('logs waits', /container "main" in pod "waits" is waiting to start: trying and failing to pull image/)
    })

    await t.test('following a log ends with the container', async () => {
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const onOut = (said: string) => (said === 'one\ntwo\n' ? resolve() : undefined)
      const following = runProgram(program, ['logs', '-f', 'talks', '-c', 'main'], { env, onOut })
      await Promise.race([begun, following])
      await says('delete pod talks --now', '', /.*/)
      const { code, out } = await following
      assert.deepEqual({ code, out }, { code: 0, out: 'one\ntwo\n' })
    })

    await t.test('apply, diff and server-side apply', async () => {
      assert.equal(await says('apply -f -', MAP('1')), 'configmap/conf created\n')
      assert.equal(await says('apply -f -', MAP('1')), 'configmap/conf unchanged\n')
      const { code, out } = await kubectl('diff -f -', MAP('2'))
      assert.equal(code, 1)
      assert.match(out, /^-\s+a: "1"\n\+\s+a: "2"$/m)
      assert.equal(await says('apply -f -', MAP('2')), 'configmap/conf configured\n')
      assert.equal(await says('apply --server-side -f -', MAP('2')), 'configmap/conf serverside-applied\n')
      await fails('apply --server-side --field-manager=other -f -', /Apply failed with 1 conflict: conflict with "kubectl/, MAP('3'))
      assert.match(await says('apply --server-side --field-manager=other --force-conflicts -f -', MAP('3')), /serverside-applied/)
      assert.equal(await says('get configmap conf -o jsonpath={.data.a}'), '3')
      assert.match(await says('apply -f - --dry-run=server', MAP('4'), /.*/), /conf configured \(server dry run\)/)
    })

    await t.test('a deployment is scaled, restarted, changed and taken away with what it owns, or without', async () => {
      assert.equal(await says('apply -f -', DEPLOYMENT), 'deployment.apps/web created\n')
      assert.match(await says('scale deployment web --replicas=3'), /scaled/)
      assert.match(await says('set image deployment/web main=nginx:2'), /image updated/)
      assert.match(await says('rollout restart deployment/web'), /restarted/)
      assert.equal(await says('get deploy web -o jsonpath={.spec.replicas},{.spec.template.spec.containers[0].image}'), '3,nginx:2')
      const uid = await says('get deploy web -o jsonpath={.metadata.uid}')
      const owned = (name: string) =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, blockOwnerDeletion: true }] },
        })
      await says('apply -f -', owned('left'))
      assert.match(await says('delete deployment web --cascade=orphan'), /deleted/)
      assert.equal(await says('get configmap left -o jsonpath={.metadata.ownerReferences}'), '')
      for (const cascade of ['foreground', 'background']) {
        await says('apply -f -', DEPLOYMENT)
        const again = await says('get deploy web -o jsonpath={.metadata.uid}')
        await says('apply -f -', owned(cascade).replace(uid, again))
        assert.match(await says(`delete deployment web --cascade=${cascade}`), /deleted/)
        await says(`wait --for=delete configmap/${cascade} --timeout=20s`)
      }
    })

    await t.test('who may do what', async () => {
      assert.equal(await says('auth can-i create pods'), 'yes\n')
      assert.equal((await kubectl('auth can-i create pods --as bob')).out, 'no\n')
      await says('create rolebinding bob --clusterrole=view --user=bob')
      await fails(
        'get pods --as bob -n kube-system',
        /pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "kube-system"/,
      )
      assert.match(await says('auth whoami'), /Username\s+admin/)
      assert.match(await says('create token default'), /^ey[\w-]+\.[\w-]+\.[\w-]+\n?$/)
    })

    await t.test('edits, labels, patches, namespaces', async () => {
      assert.match(await says('create namespace two'), /created/)
      assert.match(await says('label configmap conf x=y'), /labeled/)
      assert.match(await says('annotate configmap conf x=y'), /annotated/)
      assert.match(await says('patch configmap conf -p {"data":{"b":"c"}}'), /patched/)
      assert.match(await says('create configmap other --from-literal=a=b -n two'), /created/)
      assert.match(await says('get configmaps -A'), /two\s+other\s+1/)
      assert.match(await says('delete namespace two'), /deleted/)
      await fails('get namespace two', /namespaces "two" not found/)
    })

    await t.test('the proxy hands requests through', async () => {
      const proxy = spawn(program, ['proxy', '--port=0'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
      try {
        let said = ''
        for await (const part of proxy.stdout) {
          said += String(part)
          if (said.includes('\n')) break
        }
        const address = /127\.0\.0\.1:\d+/.exec(said)?.[0]
        const node = await fetch(`http://${address}/api/v1/nodes/node-1/status`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json-patch+json' },
          body: '[{"op":"add","path":"/status/capacity/example.com~1dongle","value":"4"}]',
        })
        const { status } = (await node.json()) as { status: { capacity: Record<string, string> } }
        assert.equal(status.capacity['example.com/dongle'], '4')
      } finally {
        proxy.kill()
      }
    })
  })
}
