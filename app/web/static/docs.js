// Shows the OpenAPI description of this service; no other host is contacted.
const root = new URL("..", import.meta.url);

window.SwaggerUIBundle({
  url: new URL("openapi.json", root).href,
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
