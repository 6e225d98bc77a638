import type { Container } from '../types/pod.ts'

/** The TCP ports at which a container is expected to answer: those that it declares, and those that its probes ask. Pure. */
export function declaredPorts({ ports = [], livenessProbe, readinessProbe, startupProbe }: Container): readonly number[] {
  const declared = ports.filter(({ protocol = 'TCP' }) => protocol === 'TCP')
  const requested = [livenessProbe, readinessProbe, startupProbe].map((probe) => {
    const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port ?? probe?.grpc?.port
    return typeof port === 'string' ? declared.find(({ name }) => name === port)?.containerPort : port
  })
  return [...new Set([...declared.map(({ containerPort }) => containerPort), ...requested.filter((port) => port !== undefined)])]
}
