from django.contrib.auth import views as auth_views
from django.urls import path

app_name = "accounts"

# /sign-in/ and /sign-out/
urlpatterns = [
    path(
        "sign-in/",
        auth_views.LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True),
        name="sign_in",
    ),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign_out"),
]
