// Shows this service's OpenAPI description; nothing is asked of any other host.
const root = new URL("..", import.meta.url);

window.SwaggerUIBundle({
  url: new URL("openapi.json", root).href,
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
