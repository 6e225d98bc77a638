import type { ImageProgram, ImagePrograms, Program } from '../program.ts'

/**
 * The responses of well-known web servers, in containers whose probes and end a script decides.
 * Nothing of it is there before the first connection to such a container.
 */
export const STAND_INS: ImagePrograms = {
  nginx: webServer('nginx', '/usr/share/nginx/html', 80),
  'nginxinc/nginx-unprivileged': webServer('nginx', '/usr/share/nginx/html', 8080),
  'bitnami/nginx': webServer('nginx', '/app', 8080),
  'registry.k8s.io/nginx-slim': webServer('nginx', '/usr/share/nginx/html', 80),
  'k8s.gcr.io/nginx-slim': webServer('nginx', '/usr/share/nginx/html', 80),
  httpd: webServer('httpd', '/usr/local/apache2/htdocs', 80),
  'hashicorp/http-echo': answering('http-echo'),
  'traefik/whoami': answering('whoami'),
  'containous/whoami': answering('whoami'),
  'gcr.io/google-samples/hello-app': answering('hello-app'),
  'us-docker.pkg.dev/google-samples/containers/gke/hello-app': answering('hello-app'),
  'gcr.io/google-samples/node-hello': answering('node-hello'),
  'gcr.io/google-samples/kubernetes-bootcamp': answering('bootcamp'),
  'registry.k8s.io/hpa-example': answering('hpa-example'),
  'registry.k8s.io/echoserver': answering('echoserver'),
  'k8s.gcr.io/echoserver': answering('echoserver'),
}

function webServer(name: string, folder: string, port: number): ImageProgram {
  const title = name === 'nginx' ? 'Welcome to nginx!' : 'It works!'
  const page = `<!DOCTYPE html>\n<html>\n<head>\n<title>${title}</title>\n</head>\n<body>\n<h1>${title}</h1>\n</body>\n</html>\n`
  const run: Program = async (container) => (await import('./images/web-server.ts')).webServer({ name, folder, port })(container)
  const files = {
    [`${folder}/index.html`]: page,
    ...(name === 'nginx' && { '/etc/nginx/nginx.conf': 'include /etc/nginx/conf.d/*.conf;\n' }),
  }
  return { run, commands: { [`/usr/sbin/${name}`]: run }, files }
}

function answering(name: string): ImageProgram {
  return { run: async (container) => (await import('./images/small-responses.ts')).smallResponse(name)(container) }
}
