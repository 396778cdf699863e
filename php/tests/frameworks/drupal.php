<?php

// What Drupal's kernel does with the file that settings.php includes: it asks the service
// providers, compiles the container, and adds the tagged services to the dispatcher.
// The container is Symfony's, of which Drupal's is a subclass.

namespace Drupal\Core\DependencyInjection {
    require 'Symfony/Component/DependencyInjection/autoload.php';

    class ContainerBuilder extends \Symfony\Component\DependencyInjection\ContainerBuilder
    {
        // Drupal's services are public.
        public function register($id, $class = null): \Symfony\Component\DependencyInjection\Definition
        {
            return parent::register($id, $class)->setPublic(true);
        }
    }

    interface ServiceProviderInterface
    {
        public function register(ContainerBuilder $container);
    }
}

namespace {
    require __DIR__ . '/web/sites/default/xhprof.php';

    $container = new Drupal\Core\DependencyInjection\ContainerBuilder();
    foreach ($GLOBALS['conf']['container_service_providers'] as $class) {
        (new $class())->register($container);
    }
    $container->compile();
    foreach (array_keys($container->findTaggedServiceIds('event_subscriber')) as $id) {
        $dispatcher->addSubscriber($container->get($id));
    }
}
